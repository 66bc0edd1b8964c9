/** A known bug of another project, rebuilt as a mutant of one of this project's controllers. */
export interface Exhibit {
  /** Repository and issue number in the usual notation. */
  readonly issue: string;
  /** Description of the bug in its original project. */
  readonly there: string;
  /** Name of the mutant in the catalogue. */
  readonly mutant: string;
}

/**
 * Exhibits: first the bugs of Kubernetes, then the operator bugs of Sieve (OSDI 2022). Each bug is rebuilt in
 * the controller whose code is most similar.
 */
export const exhibits: readonly Exhibit[] = [
  {
    issue: 'kubernetes#109233',
    there: 'the bootstrap signer logs an error and forgets its key',
    mutant: 'bootstrapsigner/failure-forgotten',
  },
  {
    issue: 'kubernetes#77505',
    there: 'an expired bootstrap token stays after one failed delete',
    mutant: 'tokencleaner/failure-forgotten',
  },
  {
    issue: 'kubernetes#114603',
    there: 'an object is garbage-collected although it got a new owner meanwhile',
    mutant: 'garbagecollector/no-preconditions',
  },
  {
    issue: 'kubernetes#88097',
    there: 'an object that is not in the cache yet counts as absent',
    mutant: 'garbagecollector/cached-reads',
  },
  {
    issue: 'kubernetes#109748',
    there: 'objects whose owner was deleted before the collector started are never collected',
    mutant: 'garbagecollector/configmaps-added-missed',
  },
  {
    issue: 'kubernetes#26120',
    there: 'an orphaning owner is deleted before its dependents are released',
    mutant: 'garbagecollector/finalizer-before-orphans',
  },
  {
    issue: 'kubernetes#36891',
    there: 'an object remains in a deleted namespace',
    mutant: 'namespace/finalize-before-report',
  },
  {
    issue: 'kubernetes#93790',
    there: 'a group with a temporary discovery failure counts as empty',
    mutant: 'namespace/discovery-failure-ignored',
  },
  {
    issue: 'kubernetes#119662',
    there: 'a namespace is stuck forever after one failed attempt',
    mutant: 'namespace/failure-forgotten',
  },
  {
    issue: 'kubernetes#60807',
    there: 'a namespace that waits for a finalizer is not requeued',
    mutant: 'namespace/requeue-dropped',
  },
  {
    issue: 'kubernetes#129795',
    there: 'a controller acts on a cache that lacks its own write',
    mutant: 'cronjob/no-version',
  },
  {
    issue: 'kubernetes#67662',
    there: 'a timed-out write counts as successful',
    mutant: 'csrapproving/approve-error-swallowed',
  },
  {
    issue: 'kubernetes#59848',
    there: 'a stale read is treated as current',
    mutant: 'serviceaccount-token/cached-reads',
  },
  {
    issue: 'cluster-api#6029',
    there: 'a clock that is ahead expires tokens too early',
    mutant: 'tokencleaner/clock-ahead',
  },
  {
    issue: 'client-go#374',
    there: 'deletions are missed',
    mutant: 'serviceaccount/serviceaccounts-deleted-missed',
  },
  {
    issue: 'cass-operator K8SSAND-1023',
    there: 'a failed step is skipped',
    mutant: 'garbagecollector/removeFinalizer-error-swallowed',
  },
  {
    issue: 'nifikop#49',
    there: 'a restart between two writes leaves the second undone',
    mutant: 'bootstrapsigner/sign-error-swallowed',
  },
  {
    issue: 'percona K8SPXC-896',
    there: 'a certificate is never issued, without an error',
    mutant: 'csrsigning/issue-error-swallowed',
  },
  {
    issue: 'percona K8SPSMDB-578',
    there: 'a failed check counts as passed',
    mutant: 'csrapproving/review-error-swallowed',
  },
  {
    issue: 'percona K8SPSMDB-430',
    there: 'a decision about an old state is written to the current one',
    mutant: 'csrapproving/no-preconditions',
  },
  {
    issue: 'percona K8SPSMDB-433',
    there: 'a withdrawn request is carried out anyway',
    mutant: 'csrsigning/no-preconditions',
  },
  {
    issue: 'percona K8SPXC-716',
    there: 'a recreated object of the same name is deleted',
    mutant: 'tokencleaner/no-preconditions',
  },
  {
    issue: 'rabbitmq-operator#648',
    there: 'an object is deleted because of a state that it has left',
    mutant: 'csrcleaner/no-version',
  },
  {
    issue: 'zookeeper-operator#312',
    there: 'a stale view deletes what belongs to a successor',
    mutant: 'ttlafterfinished/no-preconditions',
  },
  {
    issue: 'cassandra-operator#402',
    there: "a stale view overwrites a user's change",
    mutant: 'clusterrole-aggregation/no-preconditions',
  },
  {
    issue: 'elastic cloud-on-k8s#5249',
    there: 'a stale view overwrites data of others in the same object',
    mutant: 'bootstrapsigner/no-preconditions',
  },
  {
    issue: 'cassandra-operator#398',
    there: 'an object that was created and deleted between two reads is missed',
    mutant: 'clusterrole-aggregation/clusterroles-deleted-missed',
  },
  {
    issue: 'casskop#342',
    there: 'an unobserved removal has no effect',
    mutant: 'bootstrapsigner/secrets-deleted-missed',
  },
  {
    issue: 'percona K8SPSMDB-585',
    there: 'a change is missed because only creations are watched',
    mutant: 'clusterrole-aggregation/clusterroles-changed-missed',
  },
  {
    issue: 'percona K8SPXC-918',
    there: 'an object is never reconciled because its creation was missed',
    mutant: 'csrsigning/certificatesigningrequests-changed-missed',
  },
  {
    issue: 'rabbitmq-operator#758',
    there: 'a postponed step is never retried',
    mutant: 'csrapproving/requeue-dropped',
  },
  {
    issue: 'yugabyte-operator#39',
    there: 'references to deleted objects are never dropped',
    mutant: 'serviceaccount-token/secrets-deleted-missed',
  },
];
