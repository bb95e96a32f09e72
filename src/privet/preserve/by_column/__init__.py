"""Global recoding: each column by one map. `recode` is the way in; `categories` and `numbers` make
the maps, `number_cells` and `number_shifts` find few numbers that keep every threshold."""
