"""What every part of the engine uses: array types, random keys and errors."""
