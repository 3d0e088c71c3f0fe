import { type OwnerState, type PublicState, stateFor } from '../../domain/decisions/state-view.ts';
import { detailFor, type OwnerDetail, type PublicDetail } from '../../domain/decisions/views.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

/**
 * One record: the owner's form for its owner, the public form of a public record for everyone else (settled.md section 5).
 * @param viewer the owner who asks; null for the public
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readDecision(
  { decisions }: Ports,
  record_id: string,
  viewer: string | null,
): Promise<OwnerDetail | PublicDetail> {
  const [decision] = await decisions.find([record_id], viewer);
  const detail = decision && detailFor(decision, viewer);
  if (!detail) throw noSuchRecord(record_id);
  return detail;
}

/**
 * Where one record stands, with its outcome once it is closed.
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readState(
  { decisions, clock }: Ports,
  record_id: string,
  viewer: string | null,
): Promise<OwnerState | PublicState> {
  const [decision] = await decisions.find([record_id], viewer);
  const state = decision && stateFor(decision, viewer, await clock.now());
  if (!state) throw noSuchRecord(record_id);
  return state;
}

function noSuchRecord(record_id: string): Problem {
  const suggestion = 'Check the id; a record of somebody else can be read once it is evaluated.';
  return new Problem('NOT_FOUND', `There is no record ${record_id} that you can see.`, { suggestion });
}
