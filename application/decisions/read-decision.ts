import type { Decision } from '../../domain/decisions/decision.ts';
import { type OwnerState, ownerState, type PublicState, publicState } from '../../domain/decisions/views/state-view.ts';
import { ownerDetail, type PublicDetail, publicDetail } from '../../domain/decisions/views/views.ts';
import { Problem } from '../../domain/problem.ts';
import { WrittenReply } from '../json-text.ts';
import type { Ports } from '../ports.ts';
import { gapOf } from './price-gaps.ts';
import { type DetailWriter, findReply, replyOf } from './stored-detail.ts';

/**
 * One record: the owner's form for its owner, the public form of a public record for everyone else (settled.md section 5).
 * @param viewer the owner who asks; null for an anonymous caller
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readDecision(
  ports: Ports,
  writer: DetailWriter,
  record_id: string,
  viewer: string | null,
): Promise<WrittenReply> {
  const found = await findReply(ports, writer, record_id, viewer);
  if (found?.reply) return new WrittenReply(found.reply);
  if (!found) throw noVisibleRecord(record_id);
  const { decision, basis } = found;
  const isOwn = decision.owner_id === viewer;
  const detail = isOwn ? ownerDetail(decision, await gapOf(ports, decision)) : detailForOthers(ports, decision);
  return replyOf(ports, writer, visible(record_id, detail), basis);
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
