import { z } from 'zod';
import { type DigestPorts, markRead, type OwnDigest, readDigest } from '../../../../application/events/read-digest.ts';
import type { Ports } from '../../../../application/ports.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { digestReply, readMark } from '../../shapes/events/digest.ts';

export function digestEndpoints(ports: Ports): readonly Endpoint[] {
  return [digestEndpoint(ports), readMarkEndpoint(ports)];
}

function digestOf({ lines, isCut, ...digest }: OwnDigest) {
  return { ...digest, lines, unread: lines.filter(({ unread }) => unread > 0).length, is_cut: isCut };
}

const read_mark = 'Zm9yIHRoZSBuZXh0IHJlcXVlc3Q';

const digestEndpoint = (ports: DigestPorts) =>
  endpoint({
    id: 'readDigest',
    method: 'GET',
    path: '/api/v1/owner/events/digest',
    isAddition: true,
    summary: 'Read what happened in short',
    description:
      'What concerns you of the last 30 days, equal events of a day in one line: decisions graded, rejected, without ' +
      'prices, quarantined or released; keys that expire; sign-ins from new networks, lockouts; webhooks that fail now. ' +
      'It takes no unit of a pool.',
    tag: 'Events',
    auth: ['owner_bearer', 'legacy_session'],
    replies: {
      200: {
        description: 'The lines, and what of them is unread.',
        schema: digestReply,
        example: {
          lines: [
            {
              ...{ day: '2026-01-30', kind: 'graded', total: 12, unread: 3 },
              ...{ at: new Date('2026-01-30T14:30:02.000Z'), subject: 'dec_20260129_8f3a2b1c' },
            },
          ],
          ...{ unread: 1, read_at: new Date('2026-01-30T12:00:00.000Z'), read_mark, is_cut: false },
        },
      },
    },
    problems: [],
    handle: async ({ caller }) => ({ status: 200, body: digestOf(await readDigest(ports, caller.owner_id)) }),
  });

const readMarkEndpoint = (ports: Pick<Ports, 'events' | 'settings'>) =>
  endpoint({
    id: 'markRead',
    method: 'PUT',
    path: '/api/v1/owner/events/read-mark',
    isAddition: true,
    summary: 'Mark what happened as read',
    description: 'Marks what a digest showed as read. The mark of an older digest changes nothing.',
    tag: 'Events',
    auth: ['owner_bearer', 'legacy_session'],
    body: {
      schema: z.strictObject({ read_mark: readMark.describe('That of the digest.') }).meta({ id: 'ReadMark' }),
      example: { read_mark },
    },
    replies: { 204: { description: 'It is marked.' } },
    problems: [],
    async handle({ caller, body }) {
      await markRead(ports, caller.owner_id, body.read_mark);
      return { status: 204 };
    },
  });
