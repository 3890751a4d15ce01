"""The claims of the three documents about strategy, as data, tested and told.

`registry` reads `claims.toml`; `deals` plays; `samples` and `beside` count;
`results` judges; `page` and `sentences` tell.
"""
