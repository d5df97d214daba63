"""The workflows that come with the product, one app each."""
