export { type ControllersThread, startControllersThread } from './controllers-thread.ts';
export { type ThreadedManager, openManager } from './threaded-manager.ts';
