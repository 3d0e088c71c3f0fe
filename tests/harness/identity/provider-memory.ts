import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** The storage of a provider, which stays when the provider is rebuilt with other keys. */
export function providerMemory(): AdapterFactory {
  const rows = new Map<string, AdapterPayload>();
  const findWhere = (model: string, matches: (row: AdapterPayload) => boolean) =>
    [...rows].find(([id, row]) => id.startsWith(`${model}:`) && matches(row))?.[1];
  return (model): Adapter => ({
    async upsert(id, payload) {
      rows.set(`${model}:${id}`, payload);
    },
    find: async (id) => rows.get(`${model}:${id}`),
    findByUserCode: async (userCode) => findWhere(model, (row) => row.userCode === userCode),
    findByUid: async (uid) => findWhere(model, (row) => row.uid === uid),
    async consume(id) {
      const row = rows.get(`${model}:${id}`);
      if (row) rows.set(`${model}:${id}`, { ...row, consumed: Math.floor(Date.now() / 1_000) });
    },
    async destroy(id) {
      rows.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [id, row] of rows) if (row.grantId === grantId) rows.delete(id);
    },
  });
}
