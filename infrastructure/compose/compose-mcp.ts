import { agentGuide } from '../../adapters/http/guide/agent-guide.ts';
import { skillText } from '../../adapters/http/guide/skill-text.ts';
import type { Endpoint } from '../../adapters/http/kit/endpoint.ts';
import type { Mount, ServedPage } from '../../adapters/http/kit/served-page.ts';
import { mcpMount } from '../../adapters/http/mcp/mcp-mount.ts';
import { resourceMetadataPage } from '../../adapters/http/mcp/resource-metadata.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../version.ts';

export interface McpRoutes {
  readonly mounts: readonly Mount[];
  readonly pages: readonly ServedPage[];
}

export const NO_MCP: McpRoutes = { mounts: [], pages: [] };

/** The Model Context Protocol over the endpoints, with the metadata that name the identity provider where there is one. */
export function composeMcp(endpoints: readonly Endpoint[], { server, limits, identity }: Config): McpRoutes {
  const { publicUrl, allowedHosts, corsOrigins } = server;
  const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  const issuer = identity?.issuer ?? null;
  const guide = (origin: string) => skillText(agentGuide(endpoints, limits, true), origin);
  return {
    mounts: [mcpMount({ endpoints, version: VERSION, guide, issuer, publicOrigin, allowedHosts, corsOrigins })],
    pages: issuer === null ? [] : [resourceMetadataPage(issuer, publicOrigin)],
  };
}
