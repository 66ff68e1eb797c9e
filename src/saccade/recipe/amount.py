"""Amounts of training: a number with its unit, such as ``30 epochs`` or ``5e6 tokens``."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

Unit = Literal["epochs", "steps", "tokens", "flops", "minutes"]

UNITS: tuple[Unit, ...] = get_args(Unit)
_WHOLE: frozenset[Unit] = frozenset({"steps", "tokens"})
_NAMES: dict[str, Unit] = {unit: unit for unit in UNITS} | {unit.removesuffix("s"): unit for unit in UNITS}
_HOURS = ("hours", "hour")
_READ = (*_NAMES, *_HOURS)
_NUMBER = r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_POWER = re.compile(r"e\+0*")
_AMOUNT = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z]+)\s*")


@dataclass(frozen=True, slots=True)
class Amount:
    """``value`` of ``unit``; ``str`` writes it as a recipe has it. Hours become minutes when they are read."""

    value: float
    unit: Unit

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(_expected(f"{self.value:g} {self.unit}"))
        if not 0 < self.value < math.inf:
            raise ValueError(f'"{self.value:g} {self.unit}": must be greater than 0 and finite')
        if self.unit in _WHOLE and not float(self.value).is_integer():
            raise ValueError(f'"{self.value:g} {self.unit}": {self.unit} are counted in whole numbers')

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``30 epochs``, ``1 epoch``, ``5e6 tokens``, ``2 hours``; ``ValueError`` says what is wrong."""
        match = _AMOUNT.fullmatch(text)
        if match is None:
            raise ValueError(_expected(text))
        value, name = float(match[1]), match[2].lower()
        if name not in _READ:
            raise ValueError(_expected(text))
        return cls(value * 60, "minutes") if name in _HOURS else cls(value, _NAMES[name])

    def __str__(self) -> str:
        number = int(self.value) if float(self.value).is_integer() else self.value
        if self.unit == "flops" and float(power := _POWER.sub("e", f"{self.value:g}")) == self.value:
            return f"{power} flops"  # 2e14 is read at a glance, fifteen digits are not
        return f"{number} {self.unit.removesuffix('s') if number == 1 else self.unit}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.to_string_ser_schema(),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls,
        schema: core_schema.CoreSchema,
        handler: GetJsonSchemaHandler,
    ) -> dict[str, Any]:
        return {"type": "string", "format": "amount", "pattern": rf"^\s*{_NUMBER}\s*({'|'.join(_READ)})\s*$"}

    @classmethod
    def _validate(cls, given: object) -> "Amount":
        if isinstance(given, Amount):
            return given
        try:
            if not isinstance(given, str):
                raise ValueError(_expected(given))
            return cls.parse(given)
        except ValueError as error:
            raise PydanticCustomError("amount", "{reason}", {"reason": str(error)}) from error


def _expected(given: object) -> str:
    shown = json.dumps(given, ensure_ascii=False, default=str)
    return f'{shown}: expected a number and a unit, one of {", ".join(UNITS)}, such as "30 epochs"'
