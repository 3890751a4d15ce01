"""What the analyses reckon from rounds, forks and discards, and the sentences that several of them tell."""
