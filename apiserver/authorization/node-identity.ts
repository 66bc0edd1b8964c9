import type { UserInfo } from '../../api/kinds/index.ts';

/** Group of all node agents. */
const NODES = 'system:nodes';
const NODE_USER = 'system:node:';

/**
 * Returns the name of the node that a user represents, which requires both the username prefix and the group
 * of nodes. Returns undefined for other users, and '' for a node agent whose username has no node name.
 */
export function nodeOf({ username, groups }: UserInfo): string | undefined {
  return username.startsWith(NODE_USER) && groups.includes(NODES)
    ? username.slice(NODE_USER.length)
    : undefined;
}
