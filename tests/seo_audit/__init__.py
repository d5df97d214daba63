"""The SEO audit and its connectors."""
