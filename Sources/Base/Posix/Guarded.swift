import Glibc

/// A value that one thread at a time may touch (pthread_mutex_lock(3)).
///
/// Not the standard library's `Mutex`: that is locked where the thread sanitizer does not look, which then takes every
/// use of it for a race. `@unchecked Sendable`, because only the mutex gives access to the value.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    /// Touched only while `mutex` is held.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
