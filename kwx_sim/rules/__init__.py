"""Rulesets as data: what a table plays, and the record that the kernels read."""

from kwx_sim.rules.load import PRESETS, changed, load_rules, parse_rules, rules_hash
from kwx_sim.rules.model import FANS, Ruleset
from kwx_sim.rules.pack import RULES, pack

__all__ = ["FANS", "PRESETS", "RULES", "Ruleset", "changed", "load_rules", "pack", "parse_rules", "rules_hash"]
