import { clusterRoles } from '../../../api/groups/rbac-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import {
  named,
  cluster,
  drops,
  makes,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const role = (name: string, verbs: readonly string[], rest: object = {}): ApiObject =>
  named(name, { rules: verbs.map((verb) => ({ verbs: [verb] })), ...rest }, cluster);
const aggregated = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'true' } }] } };

const labelled = { ...cluster, labels: { x: 'true' } };
const source = named('source', { rules: [{ verbs: ['get'] }] }, labelled);
const cyclic = (name: string, verbs: readonly string[]): ApiObject =>
  named(name, { rules: verbs.map((verb) => ({ verbs: [verb] })), ...aggregated }, labelled);
/** Source role that is reachable only through the role `link`. */
const deep = named('deep', { rules: [{ verbs: ['get'] }] }, { ...cluster, labels: { y: 'true' } });
const link = named(
  'link',
  { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { y: 'true' } }] } },
  labelled,
);
const loses = turns(
  'clusterrole-aggregation',
  clusterRoles,
  role('a', ['get'], aggregated),
  role('a', [], aggregated),
);

/** Histories of the invariants of `clusterrole-aggregation`. */
export const histories: readonly History[] = [
  [
    'clusterrole-aggregation/no-invented-rule',
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
    [
      makes('user', clusterRoles, role('source', ['get'])),
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/only-rules-written',
    [turns('clusterrole-aggregation', clusterRoles, role('a', []), role('a', ['get']))],
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/no-empty-write',
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get', 'list'], aggregated),
        role('a', ['get', 'list'], aggregated),
      ),
    ],
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get'], aggregated),
        role('a', ['list'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/no-lost-rule',
    [
      makes('user', clusterRoles, source),
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get'], aggregated),
        role('a', [], aggregated),
      ),
    ],
    [
      makes('user', clusterRoles, source),
      turns('user', clusterRoles, source, role('source', ['get'])),
      turns('user', clusterRoles, role('source', ['get']), source),
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get'], aggregated),
        role('a', [], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/no-lost-rule',
    [makes('user', clusterRoles, deep), makes('user', clusterRoles, link), loses],
    [
      makes('user', clusterRoles, deep),
      makes('user', clusterRoles, link),
      drops('user', clusterRoles, link),
      makes('user', clusterRoles, link),
      loses,
    ],
  ],
  [
    'clusterrole-aggregation/no-rule-kept-by-cycle',
    [makes('user', clusterRoles, cyclic('a', ['get'])), makes('user', clusterRoles, cyclic('b', ['get']))],
    [makes('user', clusterRoles, cyclic('a', [])), makes('user', clusterRoles, cyclic('b', []))],
  ],
  [
    'clusterrole-aggregation/no-missing-rule',
    [makes('user', clusterRoles, role('a', [], aggregated)), makes('user', clusterRoles, source)],
    [makes('user', clusterRoles, role('a', [], aggregated))],
  ],
  [
    'clusterrole-aggregation/no-revoked-rule',
    [makes('user', clusterRoles, role('a', ['get'], aggregated))],
    [makes('user', clusterRoles, role('a', ['get'], aggregated)), loses],
  ],
];
