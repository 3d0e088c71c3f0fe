-- The owners of a cell.

create or replace function app.owners_of_a_cell() returns int immutable language sql return 32;
comment on function app.owners_of_a_cell is
  'COHORT.mostMinProducers of domain/limits.ts. An aggregate takes no parameter, and cells that are there hold as many.';

create or replace function app.join_owners(a uuid[], b uuid[]) returns uuid[] immutable language plpgsql as $$
declare
  joined uuid[] := a;
  owner_id uuid;
  place int;
begin
  foreach owner_id in array b loop
    place := width_bucket(owner_id, joined);
    continue when place = app.owners_of_a_cell() or (place > 0 and joined[place] = owner_id);
    joined := (joined[1:place] || owner_id || joined[place + 1:])[1:app.owners_of_a_cell()];
  end loop;
  return joined;
end $$;
comment on function app.join_owners is 'The first owners of two sets in ascending order.';
create or replace aggregate app.some_owners(uuid[]) (sfunc = app.join_owners, stype = uuid[], initcond = '{}');
