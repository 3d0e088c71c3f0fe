import type { Decision } from '../../domain/decisions/decision.ts';
import { type OwnerState, ownerState, type PublicState, publicState } from '../../domain/decisions/state-view.ts';
import { type OwnerDetail, ownerDetail, type PublicDetail, publicDetail } from '../../domain/decisions/views.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { gapOf } from './price-gaps.ts';

/**
 * One record: the owner's form for its owner, the public form of a public record for everyone else (settled.md section 5).
 * @param viewer the owner who asks
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readDecision(
  ports: Ports,
  record_id: string,
  viewer: string,
): Promise<OwnerDetail | PublicDetail> {
  const [decision] = await ports.decisions.find([record_id], viewer);
  if (decision?.owner_id === viewer) return ownerDetail(decision, await gapOf(ports, decision));
  return visible(record_id, decision && detailForOthers(ports, decision));
}

/**
 * The state of one record, with its outcome once it is closed.
 * @param viewer the owner who asks
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readState(ports: Ports, record_id: string, viewer: string): Promise<OwnerState | PublicState> {
  const [decision] = await ports.decisions.findStatus([record_id], viewer);
  const now = await ports.clock.lastSeen();
  if (decision?.owner_id === viewer) return ownerState(decision, now, await gapOf(ports, decision));
  return visible(record_id, decision && publicState(decision, now));
}

/**
 * The public form, for any caller.
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readPublicDecision(ports: Ports, record_id: string): Promise<PublicDetail> {
  const [decision] = await ports.decisions.find([record_id], null);
  return visible(record_id, decision && detailForOthers(ports, decision));
}

/** The public form: null unless the record is public; without the indexes of its leaves where the log is not. */
export function detailForOthers({ settings }: Pick<Ports, 'settings'>, decision: Decision): PublicDetail | null {
  return publicDetail(settings.publicLog ? decision : { ...decision, log: null });
}

/**
 * The public state, for any caller.
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readPublicState({ decisions, clock }: Ports, record_id: string): Promise<PublicState> {
  const [decision] = await decisions.findStatus([record_id], null);
  return visible(record_id, decision && publicState(decision, await clock.lastSeen()));
}

function visible<View>(record_id: string, view: View | null | undefined): View {
  if (view) return view;
  throw noVisibleRecord(record_id);
}

/** The refusal for a record that the caller cannot see. */
export function noVisibleRecord(record_id: string): Problem {
  const suggestion = "Check the id; another owner's record can be read once it is evaluated.";
  return new Problem('NOT_FOUND', `There is no record ${record_id} that you can see.`, { suggestion });
}
