"""Who played whom: names, clubs, ratings, head to head, built from what journals tell."""
