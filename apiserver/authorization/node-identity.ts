import type { UserInfo } from '../../api/kinds/kind.ts';

/** Every node agent is a member. */
const NODES = 'system:nodes';
const NODE_USER = 'system:node:';

/**
 * The node a user is, by name and group alike: undefined for who is none, '' for a node agent whose certificate names no
 * node.
 */
export function nodeOf({ username, groups }: UserInfo): string | undefined {
  return username.startsWith(NODE_USER) && groups.includes(NODES)
    ? username.slice(NODE_USER.length)
    : undefined;
}
