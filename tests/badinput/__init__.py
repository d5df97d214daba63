"""Input that was made to break something: a sentence or a clean success, never an error of ours, nothing in part."""
