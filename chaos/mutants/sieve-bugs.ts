import type { SievePattern } from './mutant.ts';

/** One of the 46 operator bugs that Sieve found, rebuilt as a mutant of one of this project's controllers. */
export interface SieveBug {
  /** Operator, pattern and number in the study's reproduction: `casskop/stale-state-1`. */
  readonly id: string;
  /** Name of the bug report; undefined if there is none. */
  readonly issue?: string;
  readonly pattern: SievePattern;
  readonly there: string;
  /** Name of the mutant in the catalogue. */
  readonly mutant: string;
}

/** Operator, workload of the operator, mutant of this project, and issue. */
type Row = readonly [operator: string, workload: string, mutant: string, issue?: string];

const wrong: Readonly<Record<SievePattern, string>> = {
  intermediate: 'crashes between two writes, and the second is never done',
  stale: 'restarts on stale state and acts on it',
  unobserved: 'misses an object that was created and deleted between two reads',
  indirect: 'fails by itself during the workload',
};

const names: Readonly<Record<SievePattern, string>> = {
  intermediate: 'intermediate-state',
  stale: 'stale-state',
  unobserved: 'unobserved-state',
  indirect: 'indirect',
};

/** Rows by pattern. The rows of an operator are in the order of its bugs of that pattern. */
const rows: Readonly<Record<SievePattern, readonly Row[]>> = {
  intermediate: [
    ['cass-operator', 'recreate', 'garbagecollector/finalizer-before-orphans', 'K8SSAND-1023'],
    ['cass-operator', 'recreate', 'csrapproving/failure-forgotten'],
    ['casskop', 'scale down to zero', 'namespace/finalize-before-report', 'casskop#370'],
    ['mongodb-operator', 'disable and enable shards', 'csrsigning/issue-error-swallowed', 'K8SPSMDB-578'],
    ['mongodb-operator', 'run the certificate manager', 'csrsigning/failure-forgotten', 'K8SPSMDB-579'],
    ['nifikop', 'change the configuration', 'csrcleaner/deleteObject-error-swallowed', 'nifikop#49'],
    ['nifikop', 'recreate', 'ttlafterfinished/deleteObject-error-swallowed'],
    [
      'rabbitmq-operator',
      'resize a volume',
      'clusterrole-aggregation/update-error-swallowed',
      'rabbitmq-operator#782',
    ],
    ['xtradb-operator', 'disable and enable the proxy', 'csrapproving/approve-error-swallowed', 'K8SPXC-896'],
    ['xtradb-operator', 'run the certificate manager', 'csrapproving/review-error-swallowed', 'K8SPXC-897'],
    ['xtradb-operator', 'recreate', 'tokencleaner/deleteObject-error-swallowed'],
  ],
  stale: [
    ['cass-operator', 'recreate', 'tokencleaner/no-preconditions', 'K8SSAND-559'],
    ['cassandra-operator', 'recreate', 'csrcleaner/no-preconditions', 'cassandra-operator#402'],
    ['cassandra-operator', 'scale down and up', 'csrcleaner/no-version', 'cassandra-operator#407'],
    ['casskop', 'recreate', 'ttlafterfinished/no-preconditions', 'casskop#316'],
    ['casskop', 'reduce a budget', 'clusterrole-aggregation/no-version', 'casskop#321'],
    ['elastic-operator', 'recreate', 'bootstrapsigner/no-preconditions', 'cloud-on-k8s#5249'],
    ['elastic-operator', 'scale down and up', 'bootstrapsigner/no-version', 'cloud-on-k8s#5274'],
    ['mongodb-operator', 'recreate', 'garbagecollector/no-preconditions', 'K8SPSMDB-430'],
    ['mongodb-operator', 'disable and enable shards', 'csrsigning/no-preconditions', 'K8SPSMDB-433'],
    ['mongodb-operator', 'disable and enable the arbiter', 'csrsigning/no-version', 'K8SPSMDB-438'],
    ['rabbitmq-operator', 'recreate', 'garbagecollector/no-version', 'rabbitmq-operator#648'],
    [
      'rabbitmq-operator',
      'resize a volume',
      'clusterrole-aggregation/no-preconditions',
      'rabbitmq-operator#653',
    ],
    ['xtradb-operator', 'recreate', 'ttlafterfinished/no-version', 'K8SPXC-716'],
    [
      'xtradb-operator',
      'disable and enable the load balancer',
      'csrapproving/no-preconditions',
      'K8SPXC-725',
    ],
    ['xtradb-operator', 'disable and enable the proxy', 'csrapproving/no-version', 'K8SPXC-763'],
    ['yugabyte-operator', 'disable and enable TLS', 'garbagecollector/cached-reads', 'yugabyte-operator#35'],
    ['yugabyte-operator', 'disable and enable a port', 'tokencleaner/no-version', 'yugabyte-operator#36'],
    ['zookeeper-operator', 'recreate', 'serviceaccount-token/cached-reads', 'zookeeper-operator#312'],
    ['zookeeper-operator', 'scale down and up', 'tokencleaner/cached-reads', 'zookeeper-operator#314'],
  ],
  unobserved: [
    [
      'cassandra-operator',
      'scale down and up',
      'clusterrole-aggregation/clusterroles-deleted-missed',
      'cassandra-operator#398',
    ],
    ['casskop', 'scale down to zero', 'bootstrapsigner/secrets-deleted-missed', 'casskop#342'],
    [
      'mongodb-operator',
      'disable and enable the arbiter',
      'clusterrole-aggregation/clusterroles-changed-missed',
      'K8SPSMDB-585',
    ],
    ['rabbitmq-operator', 'scale up and down', 'csrapproving/requeue-dropped', 'rabbitmq-operator#758'],
    [
      'xtradb-operator',
      'scale up and down',
      'csrsigning/certificatesigningrequests-changed-missed',
      'K8SPXC-918',
    ],
    [
      'yugabyte-operator',
      'scale up and down',
      'serviceaccount/serviceaccounts-deleted-missed',
      'yugabyte-operator#39',
    ],
    [
      'zookeeper-operator',
      'scale down and up',
      'ttlafterfinished/jobs-changed-missed',
      'zookeeper-operator#453',
    ],
  ],
  indirect: [
    ['cassandra-operator', 'scale down and up', 'csrcleaner/409-ignored', 'cassandra-operator#400'],
    ['cassandra-operator', 'scale down and up', 'csrcleaner/deadline-late'],
    ['mongodb-operator', 'disable and enable shards', 'csrsigning/409-ignored'],
    ['mongodb-operator', 'recreate', 'tokencleaner/409-ignored'],
    ['mongodb-operator', 'disable and enable shards', 'csrsigning/clock-ahead'],
    ['nifikop', 'scale down and up', 'bootstrapsigner/409-ignored'],
    ['yugabyte-operator', 'disable and enable a port', 'tokencleaner/clock-ahead'],
    ['yugabyte-operator', 'disable and enable TLS', 'ttlafterfinished/409-ignored'],
    ['zookeeper-operator', 'recreate', 'namespace/discovery-failure-ignored'],
  ],
};

const bugsOf = (pattern: SievePattern): readonly SieveBug[] =>
  rows[pattern].map(([operator, workload, mutant, issue], at, all) => ({
    id: `${operator}/${names[pattern]}-${all.slice(0, at + 1).filter(([each]) => each === operator).length}`,
    ...(issue !== undefined && { issue }),
    pattern,
    there: `${workload}: ${wrong[pattern]}`,
    mutant,
  }));

/**
 * All 46 bugs of Sun et al., 'Automatic reliability testing for cluster management controllers' (OSDI 2022):
 * 11 intermediate, 19 stale, 7 unobserved, 9 indirect. Each bug is rebuilt in the controller whose code is
 * most similar.
 */
export const sieveBugs: readonly SieveBug[] = [
  ...bugsOf('intermediate'),
  ...bugsOf('stale'),
  ...bugsOf('unobserved'),
  ...bugsOf('indirect'),
];
