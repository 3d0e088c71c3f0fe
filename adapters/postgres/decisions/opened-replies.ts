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

/** Holds the newest read replies, in memory. The database says whether one still counts. @param most bytes of all */
export function openedReplies(most: number): OpenedReplies {
  const replies = new Map<string, OpenedReply>();
  let bytes = 0;
  function remove(name: string): OpenedReply | null {
    const found = replies.get(name) ?? null;
    if (found) bytes -= found.reply.length;
    replies.delete(name);
    return found;
  }
  function keep(name: string, opened: OpenedReply): void {
    remove(name);
    replies.set(name, opened);
    bytes += opened.reply.length;
    for (const [longestUnread] of replies) {
      if (bytes <= most) break;
      remove(longestUnread);
    }
  }
  return {
    keep,
    find(name) {
      const found = remove(name);
      if (found) keep(name, found);
      return found;
    },
  };
}
