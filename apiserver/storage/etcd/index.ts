export { openEtcdStorage } from './etcd.ts';
