"""What can be said about a population method: who is copied, who is replaced, and how hyper-parameters move."""
