"""Pages for people: `summary` (plain data from the files of a release), `words` (figures as text),
`plots` (pictures as SVG), `html` (the pages themselves, from `templates`)."""
