"""Small pieces of a page that views are put together from."""
