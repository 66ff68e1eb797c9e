"""``python -m saccade`` is the command line too."""

from saccade.cli.app import main

main()
