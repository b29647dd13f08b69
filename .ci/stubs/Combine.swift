// The few declarations of Apple's Combine that SettingsKit uses, to type-check the glue where there is no Apple SDK;
// nothing here does anything.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}

public protocol Subscription {}

extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Never) -> Void)? = nil, receiveCancel: (() -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> { fatalError() }
}

public enum Publishers {
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
    }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {}

public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure
    public init(createPublisher: @escaping () -> DeferredPublisher) {}
}

public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
    public init(_ value: Output) {}
    public func send(_ input: Output) {}
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
    public init() {}
    public func send(_ input: Output) {}
}
