import { h } from '../kit/elements.ts';
import { choiceField, textField } from '../kit/forms.ts';
import { listView } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { instant, plain } from '../kit/value-texts.ts';
import { verifyAgain } from './operator-actions.ts';

/** What operators did and which keys were changed. */
export const showAuditLog = listView<Schemas['AuditEntry']>(() => ({
  title: 'Audit log',
  path: '/api/v1/admin/audit-log',
  what: 'the audit log',
  more: 'Show older entries',
  none: 'No entry matches.',
  filters: [
    textField({ name: 'actor', label: 'By', hint: 'An owner_id, or "command line: " with a user.' }),
    textField({ name: 'action', label: 'Action', hint: 'Such as quarantine or suspend_owner.' }),
    textField({ name: 'subject', label: 'Subject', hint: 'A record id, an owner_id, the prefix of a key.' }),
    textField({ name: 'since', label: 'Since', hint: 'Such as 2026-03-01T00:00:00Z.' }),
    textField({ name: 'until', label: 'Until', hint: 'Such as 2026-03-02T00:00:00Z.' }),
  ],
  columns: [
    { title: 'When', cell: ({ at }) => instant(at) },
    { title: 'Action', cell: ({ action }) => plain(action) },
    { title: 'By', cell: ({ actor }) => actor },
    { title: 'Subject', cell: ({ subject }) => subject },
    { title: 'Detail', cell: ({ detail }) => h('code', {}, JSON.stringify(detail)) },
  ],
}));

/** Logins, refusals and changes that concern the security of any account. */
export const showSecurityEvents = listView<Schemas['SecurityEvent']>(() => ({
  title: 'Security events of all accounts',
  path: '/api/v1/admin/security-events',
  what: 'the security events',
  more: 'Show older events',
  none: 'No event matches.',
  filters: [
    textField({ name: 'owner_id', label: 'Owner', hint: 'An owner_id.' }),
    textField({ name: 'kind', label: 'Kind', hint: 'Such as login, lockout or admin_call.' }),
    choiceField({ name: 'result', label: 'Result' }, [
      ['', 'all'],
      ['failure', 'failure'],
      ['success', 'success'],
    ]),
    textField({ name: 'since', label: 'Since', hint: 'Such as 2026-03-01T00:00:00Z.' }),
  ],
  columns: [
    { title: 'When', cell: ({ at }) => instant(at) },
    { title: 'Event', cell: ({ kind }) => plain(kind) },
    { title: 'Result', cell: ({ result, count }) => (count > 1 ? `${result}, ${count} times` : result) },
    { title: 'Owner', cell: ({ owner_id }) => owner_id ?? 'unknown' },
    { title: 'By', cell: ({ actor }) => actor ?? '' },
    { title: 'Subject', cell: ({ subject }) => subject ?? '' },
    { title: 'Network', cell: ({ network }) => network ?? '' },
    { title: 'Client', cell: ({ client }) => client },
  ],
}));

/** The known instruments and queued refreshes, each with its refresh. */
export const showInstruments = listView<Schemas['ListedInstrument']>(() => ({
  title: 'Instruments',
  path: '/api/v1/admin/instruments',
  what: 'the instruments',
  more: 'Show more instruments',
  none: 'No instrument matches.',
  filters: [
    choiceField({ name: 'status', label: 'State' }, [
      ['', 'all'],
      ['rejected', 'rejected'],
      ['unreachable', 'no source could be asked'],
      ['queued', 'refresh queued'],
      ['verified', 'verified'],
    ]),
    textField({ name: 'symbol', label: 'Symbol', hint: 'As it is stored: BTC, MSFT.' }),
  ],
  columns: [
    { title: 'Instrument', cell: ({ instrument }) => termsOf(instrument).join(' ') },
    { title: 'State', cell: ({ status }) => status ?? 'not verified yet' },
    { title: 'Checked', cell: ({ checked_at }) => (checked_at ? instant(checked_at) : 'never') },
    { title: 'Asked again', cell: ({ retry_at }) => (retry_at ? instant(retry_at) : '') },
    { title: 'Last error', cell: ({ last_error }) => last_error ?? '' },
    { title: 'Refresh', cell: ({ refresh }) => (refresh ? `queued ${instant(refresh.requested_at)}` : '') },
  ],
  actions: ({ instrument }) => [
    {
      label: 'Verify again',
      of: instrument.symbol,
      run: () => verifyAgain(instrument.symbol, termsOf(instrument)),
    },
  ],
}));

function termsOf({
  market,
  symbol,
  venue,
  asset_class,
  quote_currency,
}: Schemas['NamedInstrument']): readonly string[] {
  return [market, symbol, venue, asset_class, quote_currency];
}
