import type { ReplyForm } from '../../../domain/decisions/stored-replies.ts';

/** A stored reply that this process has opened. */
export interface OpenedReply {
  readonly reply: Uint8Array;
  readonly form: ReplyForm;
  /** Identifies the sealed text. */
  readonly seal: string;
}

export interface OpenedReplies {
  find(name: string): OpenedReply | null;
  keep(name: string, opened: OpenedReply): void;
}

/**
 * Holds replies in memory. The first ones go, except those that were read since: these are held once more, so that a read
 * moves nothing. The database says whether a reply still counts.
 * @param most bytes of all
 */
export function openedReplies(most: number): OpenedReplies {
  const held = new Map<string, { readonly opened: OpenedReply; isRead: boolean }>();
  let bytes = 0;
  function makeRoom(): void {
    for (const [name, { opened, isRead }] of held) {
      if (bytes <= most) return;
      held.delete(name);
      if (isRead) held.set(name, { opened, isRead: false });
      else bytes -= opened.reply.length;
    }
  }
  return {
    find(name) {
      const found = held.get(name);
      if (!found) return null;
      found.isRead = true;
      return found.opened;
    },
    keep(name, opened) {
      bytes += opened.reply.length - (held.get(name)?.opened.reply.length ?? 0);
      held.delete(name);
      held.set(name, { opened, isRead: false });
      makeRoom();
    },
  };
}
