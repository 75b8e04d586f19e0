"""What every part of the engine speaks: array types, random keys and errors."""
