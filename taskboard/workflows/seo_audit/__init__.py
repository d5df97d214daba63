"""The SEO audit: reads a site, opens tickets, tells owners, mends texts in a working copy."""
