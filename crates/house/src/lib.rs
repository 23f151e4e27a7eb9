//! Nothing runs here; the rules are in `tests/`.
