import { ownOrigin } from '../kit/caller/credentials.ts';
import { DATA_HEADERS } from '../kit/reply/headers.ts';
import type { ServedPage } from '../kit/unmatched.ts';

export const MCP_PATH = '/mcp';

/** The path of RFC 9728, section 3.1, for the resource at /mcp. */
export const METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

/**
 * Which authorization server issues the bearers that /mcp accepts. This service issues none.
 * @param publicUrl null: the address that the request was sent to
 */
export function resourceMetadataPage(issuer: string, publicUrl: string | null): ServedPage {
  return {
    path: METADATA_PATH,
    async render(request) {
      const body = JSON.stringify({
        resource: `${ownOrigin(request, { publicOrigin: publicUrl ?? undefined })}${MCP_PATH}`,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Stancebook',
      });
      return { status: 200, type: 'application/json; charset=utf-8', body, headers: DATA_HEADERS };
    },
  };
}
