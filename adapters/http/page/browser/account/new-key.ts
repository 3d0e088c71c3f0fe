import { onSessionChange, sessionHint } from '../kit/session-hint.ts';

/** A key that was made in this tab. It is kept in its memory alone: a reload, or another session, forgets it. */
let made: { readonly key: string; readonly session: string | null } | null = null;

onSessionChange(() => {
  const session = sessionHint();
  // Made by an account that could not be signed in to at once: the next session has it.
  if (made?.session === null) made = { ...made, session };
  else if (made?.session !== session) made = null;
});

export function noteNewKey(key: string): void {
  made = { key, session: sessionHint() };
}

export function newKey(): string | null {
  return made?.key ?? null;
}
