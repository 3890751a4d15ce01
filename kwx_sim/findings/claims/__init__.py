"""The claims of the three documents about strategy, as data, tested and told.

`registry` reads `claims.toml`; `deals` plays; `samples` and `beside` count, `exact` reckons;
`results` judges; `page`, `forests` and `sentences` tell.
"""
