"""`python -m kwx_sim` is `kwx`."""

from kwx_sim.cli import main

if __name__ == "__main__":
    main()
