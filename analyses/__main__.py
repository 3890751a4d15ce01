"""The whole report: `python -m analyses --seed 7`, which is `make report SEED=7`."""

from analyses import ORDER, load
from kwx_sim.report import main

if __name__ == "__main__":
    main([load(name) for name in ORDER])
