import Foundation
import Testing

@testable import settings_benchmarks

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct ChartTests {
    private static let comparisons = [
        Comparison(
            row: 1, operation: "get of an Int", yardstick: "Mutex<[String: Int]> & others", target: "≤ 0.4",
            measured: "0.02", shareOfTarget: 0.05),
        Comparison(
            row: 4, operation: "set in a property list", yardstick: "an append", target: "≤ 1.6", measured: "2.65",
            shareOfTarget: 2.65 / 1.6),
        Comparison(
            row: 4, operation: "update in a property list", yardstick: "an append", target: "≤ 2", measured: "2.00",
            shareOfTarget: 1),
        Comparison(
            row: 9, operation: "a change seen by another process", yardstick: nil, target: "≤ 1 ms",
            measured: "not measured", shareOfTarget: nil),
    ]

    @Test(arguments: Chart.Appearance.allCases)
    func aChartIsWellFormedAndHasEachFigureBesideItsTarget(_ appearance: Chart.Appearance) throws {
        let picture = try Picture(Chart.svg(Self.comparisons, appearance))
        for comparison in Self.comparisons {
            let operation = try #require(picture.texts.first { $0.text == comparison.operation })
            let line = picture.texts.filter { $0.y == operation.y }.map(\.text)
            #expect(line == [comparison.operation, comparison.measured, comparison.target])
        }
        let titles = picture.texts.map(\.text).filter { $0.hasPrefix("compared with") }
        #expect(titles == ["compared with: Mutex<[String: Int]> & others", "compared with: an append"])
    }

    @Test func aMarkIsLeftOfTheTargetIfItIsReachedAndAnotherShapeRightOfItIfItIsMissed() throws {
        let picture = try Picture(Chart.svg(Self.comparisons, .light))
        let target = Chart.place(of: 1)
        #expect(picture.circles.count == 2)
        #expect(picture.circles.allSatisfy { $0 <= target })
        #expect(picture.diamonds.count == 1)
        #expect(picture.diamonds.allSatisfy { $0 > target })
    }

    @Test(arguments: [0, 1e-9, 1e9, .infinity]) func aMarkStaysInsideThePlot(_ share: Double) {
        let place = Chart.place(of: share)
        #expect((Double(Chart.labelEnd)...Double(Chart.width)).contains(place))
        #expect(share > 1 ? place > Chart.place(of: 1) : place < Chart.place(of: 1))
    }

    @Test func theLightAndTheDarkChartDifferInColorsAlone() {
        let pictures = Chart.Appearance.allCases.map { Chart.svg(Self.comparisons, $0) }
        let color = #/#[0-9a-f]{6}/#
        #expect(pictures[0] != pictures[1])
        #expect(pictures[0].replacing(color, with: "") == pictures[1].replacing(color, with: ""))
    }

    @Test func theDarkChartIsBesideTheLightOne() {
        #expect(Chart.path("pictures/measured.svg", .light) == "pictures/measured.svg")
        let dark = Chart.path("/pictures/measured.svg", .dark)
        #expect(dark == "/pictures/measured~dark.svg")
    }
}

/// What a picture shows.
final class Picture: NSObject, XMLParserDelegate {
    struct Text {
        var text: String
        let y: String
    }

    private(set) var texts: [Text] = []
    /// The horizontal places of the marks.
    private(set) var circles: [Double] = []
    private(set) var diamonds: [Double] = []
    private var isInText = false

    init(_ svg: String) throws {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        let isWellFormed = parser.parse()
        try #require(isWellFormed, "The picture is not well-formed.")
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        isInText = element == "text"
        switch element {
        case "text": texts.append(Text(text: "", y: attributes["y"] ?? ""))
        case "circle": circles += Double(attributes["cx"] ?? "").map { [$0] } ?? []
        case "polygon":
            let corners = (attributes["points"] ?? "").split(separator: " ").compactMap {
                Double($0.prefix { $0 != "," })
            }
            diamonds.append(corners.reduce(0, +) / Double(corners.count))
        default: break
        }
    }

    func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
        isInText = false
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if isInText { texts[texts.count - 1].text += string }
    }
}
