import { Counter, type Registry } from 'prom-client';
import type { Ports, Stores } from '../../application/ports.ts';
import { EVENT_RESULTS, SECURITY_EVENT_KINDS, type SecurityEvent } from '../../domain/accounts/security-event.ts';
import type { SecurityEventStore } from '../../domain/accounts/security-event-store.ts';

type Counted = Pick<Ports, 'securityEvents' | 'transaction'>;

export interface SecurityEventCounter {
  /** The same ports; the security events that they store are counted, those of a transaction when it is committed. */
  countedSecurityEvents(ports: Counted): Counted;
}

/** Counts the security events of this process by kind and result, from 0 on, so that the first one is an increase. */
export function securityEventCounter(registry: Registry): SecurityEventCounter {
  const counter = new Counter({
    name: 'stancebook_security_events_total',
    help: 'Security events, by kind and result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  for (const kind of SECURITY_EVENT_KINDS) for (const result of EVENT_RESULTS) counter.inc({ kind, result }, 0);
  const count = ({ kind, result }: SecurityEvent) => counter.inc({ kind, result });
  return {
    countedSecurityEvents: ({ securityEvents, transaction }) => ({
      securityEvents: noting(securityEvents, count),
      async transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
        let stored: SecurityEvent[] = [];
        const result = await transaction((stores) => {
          stored = [];
          return work({ ...stores, securityEvents: noting(stores.securityEvents, (event) => stored.push(event)) });
        });
        stored.forEach(count);
        return result;
      },
    }),
  };
}

/** The same store; `note` is called with each event after it is stored. */
function noting(securityEvents: SecurityEventStore, note: (event: SecurityEvent) => void): SecurityEventStore {
  return {
    ...securityEvents,
    async append(event, context) {
      await securityEvents.append(event, context);
      note(event);
    },
  };
}
