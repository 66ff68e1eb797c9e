"""View: pictures of attention as figures, one self-contained page, the report of a run and a fragment for notebooks."""
