"""Population Based Bandits: hyper-parameters chosen by models of what was gained with which, instead of by chance."""
