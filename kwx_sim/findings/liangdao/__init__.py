"""亮倒, when? Forks in cells, courses of action judged on rounds that they were not fitted on, house rules, figures."""
