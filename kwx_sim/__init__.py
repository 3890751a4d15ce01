"""Monte Carlo strategy analysis for Kawuxing (卡五星), the three-player mahjong of Hubei."""
