-- Records on a coarse grid are rare: the index finds them in a market of any size.

create index public_coarse on app.decisions (market, data_cutoff, record_id)
  where lifecycle_state = 'evaluated' and grid = 'coarse';
