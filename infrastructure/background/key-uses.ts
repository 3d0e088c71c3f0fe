import type { Ports } from '../../application/ports.ts';
import { API_KEY } from '../../domain/limits.ts';
import type { AdmissionDesk } from '../../domain/quotas/admission.ts';

/**
 * The same desk, which also records the use of each admitted key. No request waits for that or fails because of it;
 * uses that a process has not written when it dies are lost.
 */
export function notingKeyUses(
  { apiKeys, admission }: Pick<Ports, 'apiKeys' | 'admission'>,
  onFault: (fault: unknown) => void,
): AdmissionDesk {
  const note = noteKeyUses(apiKeys, onFault);
  return {
    ...admission,
    async admit(request) {
      const answer = await admission.admit(request);
      if ('caller' in answer && answer.caller?.credential === 'api_key') note(answer.caller.key_prefix, answer.at);
      return answer;
    },
  };
}

/** Writes a key at most once a minute; keys that arrive during a statement go into the next one together. */
export function noteKeyUses(
  { noteUse }: Pick<Ports['apiKeys'], 'noteUse'>,
  onFault: (fault: unknown) => void,
): (key_prefix: string, at: Date) => void {
  const seen = new Set<string>();
  const waiting = new Set<string>();
  let seenSince = 0;
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.size > 0) {
      const key_prefixes = [...waiting];
      waiting.clear();
      await noteUse(key_prefixes).catch(onFault);
    }
    writing = false;
  }

  return (key_prefix, at) => {
    if (at.getTime() >= seenSince + API_KEY.noteEvery) {
      seen.clear();
      seenSince = at.getTime();
    }
    if (seen.has(key_prefix)) return;
    seen.add(key_prefix);
    waiting.add(key_prefix);
    if (!writing) void write();
  };
}
