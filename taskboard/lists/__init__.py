"""Lists that people search, sort and page: what was typed, which rows it means, and a page of them."""
