import { z } from 'zod';
import { addNote, emptyNote } from '../../../../application/decisions/write-notes.ts';
import type { Ports } from '../../../../application/ports.ts';
import { NOTE } from '../../../../domain/limits.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { instant, queryInteger } from '../../kit/input/query-values.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { noteNumber } from '../../shapes/decisions/decision-views.ts';
import { filledText } from '../../shapes/texts.ts';

const noteRequest = z
  .strictObject({ text: filledText(NOTE.textLength).describe('What to know before the next decision.') })
  .meta({ id: 'NoteRequest' });

const writtenNote = z.strictObject({ number: noteNumber, written_at: instant() }).meta({ id: 'WrittenNote' });

const written = { number: 1, written_at: new Date('2026-01-31T09:12:00Z') };

export function addNoteEndpoint(
  ports: Pick<Ports, 'transaction' | 'decisions' | 'clock' | 'settings' | 'marketData' | 'barFiles'>,
): Endpoint {
  return endpoint({
    id: 'addNote',
    method: 'POST',
    path: '/api/v1/agent/decisions/{record_id}/notes',
    isAddition: true,
    summary: 'Write a note on a graded record',
    description:
      "Keeps what the agent learned from the outcome of its record, outside of the statement. The owner and the owner's " +
      'agents alone read it. Before the outcome it is 409. The text of the newest note again is that note. A record ' +
      `holds ${NOTE.perRecord}.`,
    tag: 'Agent decisions',
    grows: true,
    auth: ['api_key'],
    permission: 'submit',
    params: recordPath,
    body: { schema: noteRequest, example: { text: 'Ignored the CPI date' } },
    replies: {
      201: { description: 'Written.', schema: writtenNote, example: written },
      200: { description: 'The newest note has this text.', schema: writtenNote, example: written },
    },
    problems: ['NOT_FOUND', 'RECORD_OPEN', 'TIER_LIMIT_REACHED', 'DAILY_QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    async handle({ caller: { owner_id, agent_id }, params: { record_id }, body: { text }, network }) {
      const { note, existed } = await addNote(ports, { owner_id, agent_id, record_id, text, network });
      const body = { number: note.number, written_at: note.written_at };
      return existed ? { status: 200, body } : { status: 201, body };
    },
  });
}

const notePath = recordPath.extend({
  number: queryInteger(1, NOTE.perRecord).meta({ description: 'The number of the note.', example: '1' }),
});

export function emptyNoteEndpoint(ports: Pick<Ports, 'transaction'>): Endpoint {
  return endpoint({
    id: 'emptyNote',
    method: 'DELETE',
    path: '/api/v1/owner/decisions/{record_id}/notes/{number}',
    isAddition: true,
    summary: 'Empty a note on one of your records',
    description:
      'Removes the text of a note for good. Its number and its time stay. A repeated request changes nothing.',
    tag: 'Owner records',
    auth: ['owner_bearer', 'legacy_session'],
    params: notePath,
    replies: { 204: { description: 'The note is empty.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params: { record_id, number } }) {
      await emptyNote(ports, caller.owner_id, record_id, number);
      return { status: 204 };
    },
  });
}
