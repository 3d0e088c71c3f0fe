import { onSessionChange, sessionHint } from '../kit/session-hint.ts';

/** A key that was made in this tab. It is kept in its memory alone: a reload, or another session, forgets it. */
let made: { readonly key: string; readonly session: string | null } | null = null;

onSessionChange(() => {
  if (made?.session !== sessionHint()) made = null;
});

export function noteNewKey(key: string): void {
  made = { key, session: sessionHint() };
}

export function newKey(): string | null {
  return made?.key ?? null;
}
