import type { ReplyBasis, ReplySource } from '../../domain/decisions/views/decision-reader.ts';
import type { OwnerDetail, PublicDetail } from '../../domain/decisions/views/views.ts';
import { WrittenReply } from '../json-text.ts';
import type { Ports } from '../ports.ts';

/** Makes the reply of a detail. */
export interface DetailWriter {
  /** Another one for each form of the replies: of the schema, and of the release. */
  readonly edition: string;
  /** @throws Error when the detail has not the form of the reply */
  write(detail: OwnerDetail | PublicDetail): string;
}

type ReplyPorts = Pick<Ports, 'replies' | 'settings'>;

/** The stored reply about a record, or what one is made from; null: there is no such record. */
export function findReply(
  { replies, settings }: ReplyPorts,
  { edition }: DetailWriter,
  record_id: string,
  viewer: string | null,
): Promise<ReplySource | null> {
  return replies.find(record_id, viewer, settings.publicLog ? edition : `${edition} without log`);
}

/** The reply of a detail. It is stored in the background, unless it lacks parts: they may come back. */
export function replyOf(
  { replies }: Pick<ReplyPorts, 'replies'>,
  writer: DetailWriter,
  detail: OwnerDetail | PublicDetail,
  basis: ReplyBasis | null,
): WrittenReply {
  const text = writer.write(detail);
  if (basis && !detail.fault) void replies.keep(basis, text);
  return new WrittenReply(text);
}
