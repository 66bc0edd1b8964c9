/** A bug of the field, rebuilt as a variant of one of our controllers. */
export interface Exhibit {
  /** Repository and number, as people cite it. */
  readonly issue: string;
  /** What happened there. */
  readonly there: string;
  /** The variant that has it here, as the catalogue of mutants names it. */
  readonly mutant: string;
}

/**
 * Bugs of Kubernetes itself first; then the class that Sieve (OSDI 2022) found in operators: what they did wrong, done wrong
 * by the controller of ours that has the most similar step.
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
    there: 'an object is garbage-collected although it was given to another owner meanwhile',
    mutant: 'garbagecollector/no-preconditions',
  },
  {
    issue: 'kubernetes#88097',
    there: 'what a cache has not got yet counts as absent',
    mutant: 'garbagecollector/cached-reads',
  },
  {
    issue: 'kubernetes#109748',
    there: 'objects whose owner went before the collector started are never collected',
    mutant: 'garbagecollector/configmaps-added-unheard',
  },
  {
    issue: 'kubernetes#26120',
    there: 'an orphaning owner goes before its dependents are let go',
    mutant: 'garbagecollector/finalizer-before-orphans',
  },
  {
    issue: 'kubernetes#36891',
    there: 'an object is left in a namespace that is gone',
    mutant: 'namespace/finalize-before-report',
  },
  {
    issue: 'kubernetes#93790',
    there: 'a group that cannot be discovered for a moment counts as empty',
    mutant: 'namespace/discovery-failure-ignored',
  },
  {
    issue: 'kubernetes#119662',
    there: 'a namespace stays for ever after one failed round',
    mutant: 'namespace/failure-forgotten',
  },
  {
    issue: 'kubernetes#60807',
    there: 'a namespace that waited for a finalizer is not looked at again',
    mutant: 'namespace/requeue-dropped',
  },
  {
    issue: 'kubernetes#129795',
    there: 'a controller acts on a cache that does not show its own write yet',
    mutant: 'cronjob/no-version',
  },
  {
    issue: 'kubernetes#67662',
    there: 'a write that timed out counts as done',
    mutant: 'csrapproving/approve-error-swallowed',
  },
  {
    issue: 'kubernetes#59848',
    there: 'a stale read is taken for the truth',
    mutant: 'serviceaccount-token/cached-reads',
  },
  {
    issue: 'cluster-api#6029',
    there: 'a clock that is ahead ends tokens before their time',
    mutant: 'tokencleaner/clock-ahead',
  },
  {
    issue: 'client-go#374',
    there: 'deletions are not heard of',
    mutant: 'serviceaccount/serviceaccounts-deleted-unheard',
  },
  {
    issue: 'cass-operator K8SSAND-1023',
    there: 'a step that failed is passed over',
    mutant: 'garbagecollector/removeFinalizer-error-swallowed',
  },
  {
    issue: 'nifikop#49',
    there: 'a restart between two writes leaves the second undone',
    mutant: 'bootstrapsigner/sign-error-swallowed',
  },
  {
    issue: 'percona K8SPXC-896',
    there: 'a certificate is never made, and nobody notices',
    mutant: 'csrsigning/issue-error-swallowed',
  },
  {
    issue: 'percona K8SPSMDB-578',
    there: 'a failed check counts as passed',
    mutant: 'csrapproving/review-error-swallowed',
  },
  {
    issue: 'percona K8SPSMDB-430',
    there: 'a decision about what was is written onto what is',
    mutant: 'csrapproving/no-preconditions',
  },
  {
    issue: 'percona K8SPSMDB-433',
    there: 'what has been withdrawn is carried out all the same',
    mutant: 'csrsigning/no-preconditions',
  },
  {
    issue: 'percona K8SPXC-716',
    there: 'an object is deleted that was made anew under the same name',
    mutant: 'tokencleaner/no-preconditions',
  },
  {
    issue: 'rabbitmq-operator#648',
    there: 'an object is deleted for a state that it is no longer in',
    mutant: 'csrcleaner/no-version',
  },
  {
    issue: 'zookeeper-operator#312',
    there: 'a stale view deletes what belongs to a successor',
    mutant: 'ttlafterfinished/no-preconditions',
  },
  {
    issue: 'cassandra-operator#402',
    there: 'a stale view overwrites what a user has written',
    mutant: 'clusterrole-aggregation/no-preconditions',
  },
  {
    issue: 'elastic cloud-on-k8s#5249',
    there: 'a stale view overwrites what others keep in the same object',
    mutant: 'bootstrapsigner/no-preconditions',
  },
  {
    issue: 'cassandra-operator#398',
    there: 'something that came and went between two looks is missed',
    mutant: 'clusterrole-aggregation/clusterroles-deleted-unheard',
  },
  {
    issue: 'casskop#342',
    there: 'what was removed while nobody looked stays in effect',
    mutant: 'bootstrapsigner/secrets-deleted-unheard',
  },
  {
    issue: 'percona K8SPSMDB-585',
    there: 'a change is missed because only creations are heard of',
    mutant: 'clusterrole-aggregation/clusterroles-changed-unheard',
  },
  {
    issue: 'percona K8SPXC-918',
    there: 'an object is never looked at because its creation was missed',
    mutant: 'csrsigning/certificatesigningrequests-changed-unheard',
  },
  {
    issue: 'rabbitmq-operator#758',
    there: 'what could not be done yet is not tried again',
    mutant: 'csrapproving/requeue-dropped',
  },
  {
    issue: 'yugabyte-operator#39',
    there: 'references to what is gone are never dropped',
    mutant: 'serviceaccount-token/secrets-deleted-unheard',
  },
];
