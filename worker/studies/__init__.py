"""Runtime studies: what an update of a population costs, measured cell by cell in processes of their own."""
