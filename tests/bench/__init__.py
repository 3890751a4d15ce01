"""How fast: the product beside its peers and its limits, on fixed hands, in one run (`python -m bench` from tests/)."""
